// SPDX-License-Identifier: Apache-2.0
/** Capture files for Wireshark: {@link org.softrdma.device.capture.CaptureFile}, which the links and streams of a device write to. */
package org.softrdma.device.capture;
