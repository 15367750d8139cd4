// SPDX-License-Identifier: Apache-2.0
package org.softrdma.interop;

import java.io.IOException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.softrdma.interop.InteropCase.IpVersion;

/** The Linux kernel's NFS client on {@code softrdma nfsd}, over iWARP, with a guest whose device is the kernel's siw. */
@Tag("soak")
class NfsSiwTest {
    @RegisterExtension
    static final LabExtension LAB = new LabExtension(KernelLab.Suite.SIW);

    private static final String LOSE = "modprobe -a sch_netem ifb act_mirred cls_matchall; ip link show ifb0 || ip link add ifb0 type ifb; "
        + "ip link set ifb0 up; tc qdisc add dev eth0 root netem loss 0.5%; tc qdisc add dev eth0 handle ffff: ingress; "
        + "tc filter add dev eth0 parent ffff: matchall action mirred egress redirect dev ifb0; "
        + "tc qdisc add dev ifb0 root netem loss 0.5%";

    private final KernelLab lab;
    private NfsMount nfs;
    private NfsCases cases;

    NfsSiwTest(KernelLab lab) {
        this.lab = lab;
    }

    @BeforeEach
    void start() throws IOException {
        // No client had anything locked before.
        nfs = new NfsMount(lab, "--grace", "0");
        cases = new NfsCases(nfs);
    }

    @AfterEach
    void end() {
        if (nfs != null) {
            nfs.close();
        }
    }

    @ParameterizedTest
    @CsvSource({"3, IPV4", "3, IPV6", "4.1, IPV4", "4.1, IPV6"})
    void shouldServeTheLinuxKernel(String version, IpVersion ip) throws Exception {
        nfs.mount(version, ip);
        cases.copyAndCompare(64);
        cases.copyTree();
        cases.list(5000);
        cases.changeNames();
        cases.cloneRepository(lab);
        if (version.equals("4.1")) {
            cases.lock();
        }
        nfs.unmount();
    }

    /** The guest loses half a percent of what it sends, and of what it receives: TCP sends it again. */
    @ParameterizedTest
    @CsvSource({"3, IPV4", "3, IPV6", "4.1, IPV4", "4.1, IPV6"})
    void shouldServeWhilePacketsAreLost(String version, IpVersion ip) throws Exception {
        nfs.mount(version, ip);
        nfs.guest(LOSE);
        try {
            cases.copyAndCompare(16);
            cases.copyTree();
            cases.list(400);
            cases.changeNames();
            nfs.unmount();
        } finally {
            nfs.guest("tc qdisc del dev eth0 root; tc qdisc del dev eth0 ingress; ip link del ifb0");
        }
    }

    @ParameterizedTest
    @CsvSource({"3, IPV4", "3, IPV6", "4.1, IPV4", "4.1, IPV6"})
    void shouldGoOnAcrossARestartOfTheServer(String version, IpVersion ip) throws Exception {
        nfs.mount(version, ip);
        cases.restartServer(version.equals("4.1"));
        nfs.unmount();
    }

    @ParameterizedTest
    @ValueSource(strings = {"3", "4.1"})
    void shouldCreateAndRemoveTwoThousandFiles(String version) throws Exception {
        nfs.mount(version, IpVersion.IPV4);
        cases.createFiles(2000);
        cases.copyLargeTree(2000);
        nfs.unmount();
    }

    @Test
    void shouldBeAnsweredByTheKernelsServer() throws IOException {
        // It has the host's device for itself.
        nfs.endServer();
        try (KernelNfsd nfsd = new KernelNfsd(lab)) {
            nfsd.checkAnswers();
        }
    }
}
