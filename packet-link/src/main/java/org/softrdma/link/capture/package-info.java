// SPDX-License-Identifier: Apache-2.0
/** Packet capture: {@link org.softrdma.link.capture.CaptureLink} is stacked on any link and writes its packets to a pcapng file. */
package org.softrdma.link.capture;
