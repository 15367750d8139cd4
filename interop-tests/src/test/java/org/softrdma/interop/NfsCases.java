// SPDX-License-Identifier: Apache-2.0
package org.softrdma.interop;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.stream.Stream;

/** Work on a mounted export. The guest compares what it reads, after its caches were dropped, with what it has written. */
final class NfsCases {
    private static final String FRESH = "echo 3 >/proc/sys/vm/drop_caches; ";

    /** Makes so many files of different lengths in 40 directories, in one process: the guest starts hundreds slowly. */
    private static final String MAKE_TREE = """
        import os, sys
        for i in range(int(sys.argv[1])):
            os.makedirs("/tmp/in/%d" % (i % 40), exist_ok=True)
            open("/tmp/in/%d/%d" % (i % 40, i), "wb").write(os.urandom(i * 7919 % 16384))
        """;

    private final NfsMount nfs;

    NfsCases(NfsMount nfs) {
        this.nfs = nfs;
    }

    void copyAndCompare(int mebibytes) throws Exception {
        String digest = nfs.guest("dd if=/dev/urandom of=/tmp/large bs=1M count=" + mebibytes + " 2>/dev/null; "
            + "dd if=/tmp/large of=/mnt/large bs=1M conv=fsync 2>/dev/null; sha256sum </tmp/large", NfsMount.LONG_DEADLINE).split(" ")[0];
        assertEquals(digest, sha256(nfs.export().resolve("large")));
        nfs.guest(FRESH + "cmp /tmp/large /mnt/large; rm /mnt/large /tmp/large", NfsMount.LONG_DEADLINE);
    }

    private static String sha256(Path file) throws IOException, NoSuchAlgorithmException {
        return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(Files.readAllBytes(file)));
    }

    void copyTree() throws IOException {
        nfs.guest("cp -r /etc/security /mnt/tree; cp -r /mnt/tree /tmp/tree; diff -r /etc/security /tmp/tree; rm -r /tmp/tree");
        assertEquals(nfs.guest("find /etc/security -type f | wc -l"), String.valueOf(count(nfs.export().resolve("tree"))));
        nfs.guest("rm -r /mnt/tree");
        assertFalse(Files.exists(nfs.export().resolve("tree")));
    }

    /** Copies a tree of files of up to 16 KiB in, and out again, and compares both copies. */
    void copyLargeTree(int files) throws IOException {
        nfs.guest("rm -rf /tmp/in /tmp/out; python3 -c '" + MAKE_TREE + "' " + files + "; "
            + "cp -r /tmp/in /mnt/tree; " + FRESH + "diff -r /tmp/in /mnt/tree; " + FRESH + "cp -r /mnt/tree /tmp/out; "
            + "diff -r /tmp/in /tmp/out; rm -r /tmp/in /tmp/out", NfsMount.LONG_DEADLINE);
        assertEquals(files, count(nfs.export().resolve("tree")));
        nfs.guest("rm -r /mnt/tree", NfsMount.LONG_DEADLINE);
    }

    private static long count(Path tree) throws IOException {
        try (Stream<Path> files = Files.walk(tree)) {
            return files.filter(Files::isRegularFile).count();
        }
    }

    /** Lists files that the host has created, and one of the guest's. */
    void list(int files) throws IOException {
        nfs.guest("mkdir /mnt/many; touch /mnt/many/first");
        Path many = nfs.export().resolve("many");
        for (int i = 0; i < files; i++) {
            Files.createFile(many.resolve("a name of some length, " + i));
        }
        nfs.guest("test $(ls /mnt/many | sort -u | wc -l) = " + (files + 1) + "; test $(ls -l /mnt/many | wc -l) = " + (files + 2),
            NfsMount.LONG_DEADLINE);
        nfs.guest("rm -r /mnt/many", NfsMount.LONG_DEADLINE);
        assertFalse(Files.exists(many));
    }

    void changeNames() throws IOException {
        Path export = nfs.export();
        nfs.guest("mkdir /mnt/d; touch /mnt/d/first; mv /mnt/d/first /mnt/d/one; mv /mnt/d /mnt/few; test \"$(ls /mnt/few)\" = one");
        assertTrue(Files.exists(export.resolve("few/one")));
        nfs.guest("echo text >/mnt/few/one; ln -s one /mnt/few/link; test \"$(cat /mnt/few/link)\" = text; ln /mnt/few/one /mnt/few/two; "
            + "rm /mnt/few/one; test \"$(cat /mnt/few/two)\" = text; chmod 640 /mnt/few/two; truncate -s 2 /mnt/few/two; "
            + "sync /mnt/few/two");
        assertEquals("one", Files.readSymbolicLink(export.resolve("few/link")).toString());
        assertEquals("te", Files.readString(export.resolve("few/two")));
        assertEquals(0640, (int) Files.getAttribute(export.resolve("few/two"), "unix:mode") & 07777);
        // The kernel resolves a dangling link by itself, and a name that is taken is refused by the server.
        nfs.guest("for i in 'cat /mnt/few/link' 'mkdir /mnt/few' 'rmdir /mnt/few'; do if $i 2>/dev/null; then exit 1; fi; done; "
            + "rm -r /mnt/few");
    }

    /** Locks a file in one process while another one tries to, and checks that the server was asked. */
    void lock() {
        nfs.guest("rm -f /tmp/held /tmp/release; touch /mnt/lock; "
            + "flock /mnt/lock sh -c 'touch /tmp/held; until test -e /tmp/release; do sleep 0.1; done' & "
            + "until test -e /tmp/held; do sleep 0.1; done; if flock -n /mnt/lock true; then exit 1; fi; touch /tmp/release; wait; "
            + "flock -n /mnt/lock true; rm /mnt/lock");
        String locks = nfs.guest("grep -o ' LOCK: [0-9]*' /proc/self/mountstats");
        assertTrue(Integer.parseInt(locks.split(" ")[1]) > 0, locks);
    }

    /** Creates small files, and reads them one by one. */
    void createFiles(int files) throws IOException {
        nfs.guest("mkdir /mnt/d; cd /mnt/d; for i in $(seq " + files + "); do echo $i >$i; done; " + FRESH + "test $(ls | wc -l) = "
            + files + "; for i in $(seq " + files + "); do read n <$i; test $n = $i; done", NfsMount.LONG_DEADLINE);
        assertEquals(files, count(nfs.export().resolve("d")));
        nfs.guest("rm -r /mnt/d", NfsMount.LONG_DEADLINE);
    }

    /** Clones a repository of the guest's onto the mount and lets git check it; git creates its files read-only and locks by links. */
    void cloneRepository(KernelLab lab) {
        String git = lab.share(Path.of("/usr/bin/git"));
        nfs.guest("mkdir -p /tmp/bin; for i in git git-upload-pack git-receive-pack; do ln -sf " + git + " /tmp/bin/$i; done; "
            + "export PATH=/tmp/bin:$PATH GIT_EXEC_PATH=/tmp/bin HOME=/tmp GIT_TEMPLATE_DIR= "
            + "GIT_AUTHOR_NAME=a GIT_AUTHOR_EMAIL=a@b GIT_COMMITTER_NAME=a GIT_COMMITTER_EMAIL=a@b; "
            + "rm -rf /tmp/origin; git init -q /tmp/origin; cd /tmp/origin; "
            + "for i in 1 2 3; do cp -r /etc/security etc$i; find etc$i -type d -empty -delete; date >>etc$i/date; git add .; "
            + "git commit -qm $i; done; "
            + "git config --global --add safe.directory '*'; git clone -q --no-local /tmp/origin /mnt/clone; cd /mnt/clone; "
            + "echo more >>etc1/date; git commit -qam more; " + FRESH + "git fsck --full --strict; test -z \"$(git status --short)\"; "
            + "test $(git log --oneline | wc -l) = 4; diff -r etc3 /tmp/origin/etc3; git gc -q; git fsck --full; cd /; "
            + "rm -rf /mnt/clone /tmp/origin", NfsMount.LONG_DEADLINE);
    }

    /**
     * Writes, and goes on when the server has been restarted.
     *
     * @param withLock whether a lock is held meanwhile: writing to its file fails if the server does not give it again
     */
    void restartServer(boolean withLock) throws IOException {
        nfs.guest("rm -f /tmp/held /tmp/release; dd if=/dev/urandom of=/tmp/large bs=1M count=16 2>/dev/null");
        String lock = "exec 9>/mnt/lock; flock 9; touch /tmp/held; until test -e /tmp/release; do sleep 0.1; done; echo kept >&9";
        try (RunningCommand writer = nfs.start("writer",
                "for i in 1 2 3 4; do dd if=/tmp/large of=/mnt/large$i bs=1M conv=fsync 2>/dev/null; done");
             RunningCommand holder = nfs.start("holder", withLock ? lock : "true")) {
            nfs.guest("until test -s /mnt/large2" + (withLock ? " -a -e /tmp/held" : "") + "; do sleep 0.1; done");
            nfs.endServer();
            nfs.serve("--grace", "30");
            writer.awaitSuccess(NfsMount.LONG_DEADLINE);
            nfs.guest("touch /tmp/release");
            holder.awaitSuccess(NfsMount.DEADLINE);
        }
        if (withLock) {
            assertEquals("kept\n", Files.readString(nfs.export().resolve("lock")));
        }
        nfs.guest(FRESH + "for i in 1 2 3 4; do cmp /tmp/large /mnt/large$i; done; rm /tmp/large /mnt/large*", NfsMount.LONG_DEADLINE);
    }
}
