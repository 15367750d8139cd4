// SPDX-License-Identifier: Apache-2.0
package org.softrdma.interop;

import java.io.IOException;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/** For tests with devices on this machine's loopback interface: one class at a time, because the second device has another address. */
final class LoopbackExtension implements BeforeAllCallback, AfterAllCallback {
    private ModuleLock lock;

    @Override
    public void beforeAll(ExtensionContext context) throws IOException {
        lock = new ModuleLock("loopback");
    }

    @Override
    public void afterAll(ExtensionContext context) throws IOException {
        lock.close();
    }
}
