// SPDX-License-Identifier: Apache-2.0
package org.softrdma.interop;

import java.io.IOException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.softrdma.interop.InteropCase.IpVersion;

/** The Linux kernel's NFS client on {@code softrdma nfsd}, over RoCE. */
@ExtendWith(LabExtension.class)
class NfsTest {
    private final KernelLab lab;
    private NfsMount nfs;
    private NfsCases cases;

    NfsTest(KernelLab lab) {
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
    @ValueSource(strings = {"3", "4.1"})
    void shouldServeTheLinuxKernel(String version) throws Exception {
        nfs.mount(version, IpVersion.IPV4);
        cases.copyAndCompare(16);
        cases.copyTree();
        cases.list(400);
        cases.changeNames();
        if (version.equals("4.1")) {
            cases.lock();
        }
        nfs.unmount();
        nfs.endServer();
    }

    @ParameterizedTest
    @CsvSource({"3, IPV4", "3, IPV6", "4.1, IPV4", "4.1, IPV6"})
    @Tag("soak")
    void shouldServeLargeAndManyFiles(String version, IpVersion ip) throws Exception {
        nfs.mount(version, ip);
        cases.copyAndCompare(64);
        cases.copyTree();
        cases.list(5000);
        cases.changeNames();
        cases.cloneRepository(lab);
        nfs.unmount();
    }

    @ParameterizedTest
    @CsvSource({"3, IPV4", "3, IPV6", "4.1, IPV4", "4.1, IPV6"})
    @Tag("soak")
    void shouldServeWhilePacketsAreLost(String version, IpVersion ip) throws Exception {
        nfs.mount(version, ip);
        nfs.setFaults("drop=0.5%,dir=both");
        try {
            cases.copyAndCompare(16);
            cases.copyTree();
            cases.list(400);
            cases.changeNames();
            cases.cloneRepository(lab);
            nfs.unmount();
        } finally {
            nfs.setFaults("none");
        }
    }

    @ParameterizedTest
    @CsvSource({"3, IPV4", "3, IPV6", "4.1, IPV4", "4.1, IPV6"})
    @Tag("soak")
    void shouldGoOnAcrossARestartOfTheServer(String version, IpVersion ip) throws Exception {
        nfs.mount(version, ip);
        cases.restartServer(version.equals("4.1"));
        nfs.unmount();
    }

    @ParameterizedTest
    @ValueSource(strings = {"3", "4.1"})
    @Tag("soak")
    void shouldCreateAndRemoveTwoThousandFiles(String version) throws Exception {
        nfs.mount(version, IpVersion.IPV4);
        cases.createFiles(2000);
        cases.copyLargeTree(2000);
        nfs.unmount();
    }

    @Test
    @Tag("soak")
    void shouldBeAnsweredByTheKernelsServer() throws IOException {
        // It has the host's device for itself.
        nfs.endServer();
        try (KernelNfsd nfsd = new KernelNfsd(lab)) {
            nfsd.checkAnswers();
        }
    }
}
