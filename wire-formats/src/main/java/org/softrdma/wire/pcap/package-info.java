// SPDX-License-Identifier: Apache-2.0
/**
 * Capture files: {@link org.softrdma.wire.pcap.Pcapng} writes them, {@link org.softrdma.wire.pcap.PcapngReader} reads those of other
 * programs too.
 */
package org.softrdma.wire.pcap;
