// SPDX-License-Identifier: Apache-2.0
/**
 * Capture files: {@link org.softrdma.wire.pcap.Pcapng} writes them, {@link org.softrdma.wire.pcap.PcapngReader} reads those of other
 * programs too. {@link org.softrdma.wire.pcap.SynthesizedHeaders} stand for headers that were not seen.
 */
package org.softrdma.wire.pcap;
