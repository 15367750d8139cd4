// SPDX-License-Identifier: Apache-2.0
package org.softrdma.recording;

import java.io.IOException;

/** A file is no recording, or a damaged one. The message says where and why. */
public final class MalformedRecordingException extends IOException {
    private static final long serialVersionUID = 1L;

    MalformedRecordingException(String message) {
        super(message);
    }
}
