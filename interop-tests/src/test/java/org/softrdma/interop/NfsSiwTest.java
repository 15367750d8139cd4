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
import org.softrdma.interop.InteropCase.IpVersion;

/** The Linux kernel's NFS client on {@code softrdma nfsd}, over iWARP, with a guest whose device is the kernel's siw. */
@Tag("soak")
class NfsSiwTest {
    @RegisterExtension
    static final LabExtension LAB = new LabExtension(KernelLab.Suite.SIW);

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
        nfs.close();
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

    @ParameterizedTest
    @CsvSource({"3, IPV4", "3, IPV6", "4.1, IPV4", "4.1, IPV6"})
    void shouldGoOnAcrossARestartOfTheServer(String version, IpVersion ip) throws Exception {
        nfs.mount(version, ip);
        cases.restartServer(version.equals("4.1"));
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
