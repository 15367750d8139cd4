// SPDX-License-Identifier: Apache-2.0
/** Capture files for Wireshark: {@link org.softrdma.host.capture.CaptureFile}, which the links and streams of a device write to. */
package org.softrdma.host.capture;
