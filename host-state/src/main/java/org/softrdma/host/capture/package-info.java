// SPDX-License-Identifier: Apache-2.0
/**
 * Capture files for Wireshark: {@link org.softrdma.host.capture.CaptureFile}, which the links and streams of a device write to;
 * {@link org.softrdma.host.capture.SynthesizedHeaders}, for what they do not see.
 */
package org.softrdma.host.capture;
