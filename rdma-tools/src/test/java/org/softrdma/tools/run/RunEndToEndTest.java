// SPDX-License-Identifier: Apache-2.0
package org.softrdma.tools.run;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.softrdma.tools.ToolProcesses;

/** Programs of the system under run, with a daemon in the state directory of the test. */
@EnabledOnOs(OS.LINUX)
@Timeout(120)
class RunEndToEndTest extends ToolProcesses {
    private static final Pattern DAEMON_PID = Pattern.compile("runs as process (\\d+)");
    /** Exit status of run if it cannot start a program. */
    private static final int REFUSED = 125;
    private static final int NOT_RUNNING = 3;

    @BeforeEach
    void requireSeccomp() throws Exception {
        addLink("rxe0", "rxe");
        addLink("siw0", "siw");
        Ended tried = start("run -- true").await();
        assumeTrue(tried.exitCode() != REFUSED, () -> "seccomp notification is refused here: " + tried.err());
    }

    @AfterEach
    void stopDaemon() throws Exception {
        start("daemon stop").await();
    }

    private String script(String text) throws IOException {
        return script(".sh", text);
    }

    private String script(String suffix, String text) throws IOException {
        Path file = Files.createTempFile(directory, "script", suffix);
        Files.writeString(file, text);
        return file.toString();
    }

    /** Runs a script of Python under run. */
    private Ended python(String text) throws Exception {
        assumeTrue(new ProcessBuilder("python3", "--version").start().waitFor() == 0, "python3 is not installed");
        return start("run -- python3 " + script(".py", text)).await();
    }

    private long daemon() throws Exception {
        Ended status = start("daemon status").await();
        Matcher matcher = DAEMON_PID.matcher(status.out());
        assertTrue(matcher.find(), status.out());
        return Long.parseLong(matcher.group(1));
    }

    @Test
    void shouldShowDevicesToPrograms() throws Exception {
        Ended listed = start("run -- ls /dev/infiniband /sys/class/infiniband").await();
        assertEquals("/dev/infiniband:\nrdma_cm\numad0\nuverbs0\nuverbs1\n\n/sys/class/infiniband:\nrxe0\nsiw0\n", listed.out());
        assertEquals("", listed.err());
        assertEquals("character special file e7:c0\n", start("run -- stat -c %F_%t:%T /dev/infiniband/uverbs0").await().out()
            .replace('_', ' '));
        assertEquals("231:193\n", start("run -- cat /sys/class/infiniband_verbs/uverbs1/dev").await().out());
        Ended detailed = start("run -- ls -l /dev/infiniband").await();
        assertEquals("", detailed.err());
        assertTrue(detailed.out().contains("crw-rw-rw-"), detailed.out());
        assertEquals("/sys/class/infiniband/rxe0\n", start("run -- readlink -f /sys/class/infiniband/./rxe0").await().out());
        assertEquals(1, start("run -- test -e /dev/infiniband/uverbs7").await().exitCode());
        assertEquals(0, start("run -- test -r /dev/infiniband//./uverbs1").await().exitCode());
    }

    @Test
    void shouldResolvePathsRelativeToDirectories() throws Exception {
        Ended ended = python("""
            import os, stat
            d = os.open('/dev/infiniband', os.O_RDONLY | os.O_DIRECTORY)
            s = os.stat('uverbs0', dir_fd=d)
            print(stat.S_ISCHR(s.st_mode), os.major(s.st_rdev), os.minor(s.st_rdev))
            os.chdir('/sys/class')
            print(open('infiniband/siw0/node_type').read(), end='')
            os.chdir('/dev')
            print(sorted(os.listdir('infiniband')))
            print(os.access('../dev/infiniband/rdma_cm', os.R_OK | os.W_OK), os.access('infiniband/none', os.F_OK))
            """);
        assertEquals("True 231 192\n4: RNIC\n['rdma_cm', 'umad0', 'uverbs0', 'uverbs1']\nTrue False\n", ended.out(), ended.err());
    }

    @Test
    void shouldKeepCopiesOfDescriptorsDevices() throws Exception {
        Ended ended = python("""
            import fcntl, os, stat
            def show(fd):
                s = os.fstat(fd)
                print(stat.S_ISCHR(s.st_mode), os.major(s.st_rdev), os.minor(s.st_rdev))
            fd = os.open('/dev/infiniband/uverbs0', os.O_RDWR | os.O_CLOEXEC)
            show(fd)
            copy = os.dup(fd)
            show(copy)
            show(fcntl.fcntl(copy, fcntl.F_DUPFD, 3))
            cm = os.open('/dev/infiniband/rdma_cm', os.O_RDWR)
            show(cm)
            show(os.dup(cm))
            if os.fork() == 0:
                show(fd)
                os._exit(0)
            os.wait()
            """);
        String verbs = "True 231 192\n";
        String cm = "True 10 58\n";
        assertEquals(verbs + verbs + verbs + cm + cm + verbs, ended.out(), ended.err());
    }

    /** The program has its descriptor a moment before the daemon has closed its own copy. */
    @Test
    void shouldCopyDescriptorsAsSoonAsTheProgramHasThem() throws Exception {
        Ended ended = python("""
            import os
            for i in range(300):
                cm = os.open('/dev/infiniband/rdma_cm', os.O_RDWR)
                os.close(os.dup(cm))
                os.close(cm)
            print('done')
            """);
        assertEquals("done\n", ended.out(), ended.err());
    }

    /** As a context needs them: a device and a file of events. The kernel has no other limit than that of the program's files. */
    @Test
    void shouldOpenDevicesUpToTheLimitOfFiles() throws Exception {
        jvmOptions.add("-XX:-MaxFDLimit");
        String program = script(".py", """
            import errno, os
            def pairs(path):
                held = []
                try:
                    while True:
                        held.append(os.open(path, os.O_RDWR))
                        held.append(os.open('/dev/null', os.O_RDWR))
                except OSError as full:
                    why = errno.errorcode[full.errno]
                for fd in held:
                    os.close(fd)
                return len(held) // 2, why
            print(pairs('/dev/null') == pairs('/dev/infiniband/uverbs0') == pairs('/dev/infiniband/uverbs0'), pairs('/dev/null')[1])
            print(pairs('/dev/infiniband/rdma_cm')[0] >= os.sysconf('SC_OPEN_MAX') * 3 // 10)
            """);
        for (int limit : new int[] {100, 700, 1024, 2500}) {
            Ended ended = start(List.of("sh", "-c", "ulimit -Sn " + limit + "; exec \"$@\"", "sh"), "run -- python3 " + program).await();
            assertEquals("True EMFILE\nTrue\n", ended.out(), limit + ": " + ended.err());
        }
    }

    /** Those of devices cannot be changed; other files with high numbers can. */
    @Test
    void shouldRefuseChangesOfTheSizeOfDevicesOnly() throws Exception {
        Ended ended = python("""
            import errno, os, resource, tempfile
            resource.setrlimit(resource.RLIMIT_NOFILE, (1024, resource.getrlimit(resource.RLIMIT_NOFILE)[1]))
            def outcome(call, *arguments):
                try:
                    call(*arguments)
                    return 'done'
                except OSError as refused:
                    return errno.errorcode[refused.errno]
            fd = os.open('/dev/infiniband/uverbs0', os.O_RDWR)
            file = tempfile.TemporaryFile()
            os.dup2(file.fileno(), 1000)
            os.dup2(file.fileno(), fd + 1)
            for each in fd, fd + 1, 1000:
                print(outcome(os.ftruncate, each, 10), outcome(os.posix_fallocate, each, 0, 100))
            print(os.fstat(1000).st_size)
            """);
        assertEquals("EINVAL ENODEV\ndone done\ndone done\n100\n", ended.out(), ended.err());
    }

    @Test
    void shouldEndAsTheProgramDoes() throws Exception {
        assertEquals(7, start("run -- sh " + script("exit 7")).await().exitCode());
        assertEquals(127, start("run -- /no/such/program").await().exitCode());
        assertEquals(126, start("run -- /etc/hostname").await().exitCode());
        for (int signal : new int[] {9, 15, 11, 13}) {
            Ended ended = start(List.of("python3", "-c", "import subprocess, sys; print(subprocess.call(sys.argv[1:]))"),
                "run -- sh " + script("kill -" + signal + " $$")).await();
            assertEquals("-" + signal + "\n", ended.out(), ended.err());
        }
    }

    @Test
    void shouldLeaveStreamsDirectoryAndEnvironmentAlone() throws Exception {
        environment.put("SOFTRDMA_TEST_VALUE", "a b");
        String program = script("pwd; ls /proc/self/fd | wc -l; echo \"$SOFTRDMA_TEST_VALUE\"; echo wrong >&2");
        Ended ended = start("run -- sh " + program).await();
        Ended bare = runBare("pwd; ls /proc/self/fd | wc -l; echo \"a b\"; echo wrong >&2");
        List<String> lines = ended.out().lines().toList();
        assertEquals(bare.out().lines().toList(), lines.subList(0, 3));
        assertEquals("wrong\n", ended.err());
    }

    private Ended runBare(String text) throws Exception {
        Path out = Files.createTempFile(directory, "bare", "");
        Process process = new ProcessBuilder("sh", "-c", text).redirectOutput(out.toFile()).start();
        return new Ended(process.waitFor(), Files.readString(out), "");
    }

    /** Those of a shell's {@code 3<file} and {@code <(command)}, or of make's job server. */
    @Test
    void shouldPassOnInheritedDescriptors() throws Exception {
        Path file = Files.writeString(directory.resolve("inherited"), "from a file\n");
        List<String> shell = List.of("sh", "-c", "exec \"$@\" 3<" + file, "sh");
        Ended ended = start(shell, "run -- sh " + script("cat <&3; ls /proc/self/fd | wc -l")).await();
        assertEquals("from a file\n" + (Integer.parseInt(runBare("ls /proc/self/fd | wc -l").out().strip()) + 1) + '\n', ended.out());
    }

    /** Files of the same names as kernel rxe's, with what the device of all programs has counted. */
    @Test
    void shouldShowCountersInSysfs() throws Exception {
        String counters = "/sys/class/infiniband/rxe0/ports/1/hw_counters/";
        assertEquals("0\n", start("run -- cat " + counters + "sent_pkts").await().out());
        Ended ended = start("run -- sh " + script("ibv_devinfo >/dev/null; sleep 0.3; ls " + counters)).await();
        assumeTrue(!ended.err().contains("ibv_devinfo"), "ibverbs-utils is not installed");
        assertTrue(ended.out().lines().toList().containsAll(List.of("lifespan", "out_of_seq_request", "rdma_sends", "drop_bad_icrc")),
            ended.out());
    }

    @Test
    void shouldForwardTermination() throws Exception {
        Path ready = directory.resolve("ready");
        Started started = start("run -- sh " + script("trap 'echo ended; exit 5' TERM; touch " + ready + "; while :; do sleep 0.05; done"));
        waitFor("the program does not run", started, () -> Files.exists(ready));
        started.process().destroy();
        Ended ended = started.await();
        assertEquals(5, ended.exitCode());
        assertEquals("ended\n", ended.out());
    }

    /** Ctrl-C and Ctrl-Z on a terminal of its own. */
    @Test
    void shouldLeaveTheTerminalToTheProgram() throws Exception {
        String program = script("trap 'echo interrupted; exit 6' INT; echo begun; while :; do sleep 0.05; done");
        // As a shell with job control: the program has a process group of its own in the foreground of the terminal.
        String terminal = script(".py", """
            import os, pty, signal, sys
            def shell():
                job = os.fork()
                if job == 0:
                    os.setpgid(0, 0)
                    # A shell cannot trap what it inherits as ignored, as from `mvn verify &` in a script.
                    signal.signal(signal.SIGINT, signal.SIG_DFL)
                    os.execv(sys.argv[1], sys.argv[1:])
                signal.signal(signal.SIGTTOU, signal.SIG_IGN)
                try:
                    os.setpgid(job, job)
                except PermissionError:
                    pass  # It has done so itself, and is another program already.
                os.tcsetpgrp(0, job)
                _, status = os.waitpid(job, os.WUNTRACED)
                print('stopped', os.WIFSTOPPED(status), flush=True)
                os.killpg(job, signal.SIGCONT)
                _, status = os.waitpid(job, 0)
                print('status', os.waitstatus_to_exitcode(status), flush=True)
            pid, fd = pty.fork()
            if pid == 0:
                try:
                    shell()
                finally:
                    os._exit(0)
            def expect(word):
                seen = b''
                while word not in seen:
                    seen += os.read(fd, 1000)
            expect(b'begun')
            os.write(fd, b'\\x1a')
            expect(b'stopped True')
            os.write(fd, b'\\x03')
            expect(b'interrupted')
            expect(b'status 6')
            """);
        Ended ended = start(List.of("python3", terminal), "run -- sh " + program).await();
        assertEquals(0, ended.exitCode(), ended.err());
    }

    @Test
    void shouldShareOneDaemonUntilItIsIdle() throws Exception {
        start("daemon stop").await();
        Path ready = directory.resolve("ready");
        Path end = directory.resolve("end");
        String wait = script("echo x >> " + ready + "; while ! test -e " + end + "; do sleep 0.05; done");
        Started one = start("run --idle 1 -- sh " + wait);
        Started other = start("run --idle 1 -- sh " + wait);
        waitFor("the programs do not run", one, () -> Files.exists(ready) && Files.readString(ready).equals("x\nx\n"));
        Ended status = start("daemon status").await();
        assertTrue(status.out().contains("programs: 2"), status.out());
        Files.createFile(end);
        assertEquals(0, one.await().exitCode());
        assertEquals(0, other.await().exitCode());
        long untilNs = System.nanoTime() + 30_000_000_000L;
        while (start("daemon status").await().exitCode() != NOT_RUNNING) {
            assertTrue(System.nanoTime() - untilNs < 0, "the daemon does not end");
        }
    }

    @Test
    void shouldGiveErrorsWhenTheDaemonIsKilledAndStartAnother() throws Exception {
        Path ready = directory.resolve("ready");
        Started started = start("run -- sh " + script("touch " + ready + "; while cat /etc/hostname; do sleep 0.05; done; exit 9"));
        waitFor("the program does not run", started, () -> Files.exists(ready));
        long killed = daemon();
        ProcessHandle.of(killed).orElseThrow().destroyForcibly();
        Ended ended = started.await();
        assertEquals(9, ended.exitCode());
        assertTrue(ended.err().contains("the daemon has ended"), ended.err());
        assertEquals("rxe0\nsiw0\n", start("run -- ls /sys/class/infiniband").await().out());
        assertNotEquals(killed, daemon());
    }

    @Test
    void shouldEndSessionsOfAKilledRun() throws Exception {
        Path ready = directory.resolve("ready");
        Path answer = directory.resolve("answer");
        String program = script(".py", """
            import os, sys, time
            fd = os.open('/dev/infiniband/uverbs0', os.O_RDWR)
            parent = os.getppid()
            open('%s', 'w').close()
            while os.getppid() == parent:
                time.sleep(0.05)
            time.sleep(0.5)
            try:
                os.open('/dev/infiniband/uverbs0', os.O_RDWR)
            except OSError as refused:
                with open('%s.new', 'w') as out:
                    out.write(refused.strerror)
                os.rename('%s.new', '%s')
            """.formatted(ready, answer, answer, answer));
        Started started = start("run -- python3 " + program);
        waitFor("the program does not run", started, () -> Files.exists(ready));
        long before = contexts();
        started.process().destroyForcibly().waitFor();
        Started other = start("run -- sleep 30");
        waitFor("the program has no answer", other, () -> Files.exists(answer));
        assertEquals("No such device", Files.readString(answer));
        assertEquals(before - 1, contexts());
        other.process().destroy();
    }

    private long contexts() throws Exception {
        return resources("show ctx").out().lines().filter(line -> line.contains("dev rxe0")).count();
    }

    @Test
    void shouldJoinAnOuterRun() throws Exception {
        String java = Path.of(System.getProperty("java.home"), "bin", "java").toString();
        String inner = script("exec " + java + " --enable-native-access=ALL-UNNAMED -cp " + classPath
            + " org.softrdma.tools.Softrdma run -- ls /sys/class/infiniband");
        Ended ended = start("run -- sh " + inner).await();
        assertEquals("rxe0\nsiw0\n", ended.out(), ended.err());
        assertEquals("", ended.err());
    }

    @Test
    void shouldRunOnAnAdapterOfItsOwn() throws Exception {
        start("daemon stop").await();
        Ended ended = start("run --private -- cat /sys/class/infiniband/rxe0/node_type").await();
        assertEquals("1: CA\n", ended.out(), ended.err());
        assertEquals(NOT_RUNNING, start("daemon status").await().exitCode());
        try (var left = Files.newDirectoryStream(directory, "sysfs-*")) {
            assertFalse(left.iterator().hasNext());
        }
    }
}
