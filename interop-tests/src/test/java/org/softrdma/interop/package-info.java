// SPDX-License-Identifier: Apache-2.0
/**
 * Interoperability tests: our tools and API against the Linux kernel's rdma_rxe and siw, against Wireshark's and Scapy's decoders, and the
 * rules for the architecture of the whole project.
 *
 * <p>Reading order:
 * <ol>
 * <li>{@link org.softrdma.interop.KernelLab}, {@link org.softrdma.interop.Guest} and {@link org.softrdma.interop.RunningCommand}: the lab
 * of {@code lab/README.md}, its guest, and commands on either side.
 * <li>{@link org.softrdma.interop.InteropCase}, {@link org.softrdma.interop.Matrix} and {@link org.softrdma.interop.CaseRun}: a case, the
 * cases of one kernel, and one run of a case with its checks.
 * <li>{@link org.softrdma.interop.CaptureReport} and {@link org.softrdma.interop.IwarpReport}: the checks of the captured packets.
 * <li>{@link org.softrdma.interop.PingPongCases}, then the other classes named Cases: the cases by tool;
 * {@link org.softrdma.interop.OperationCases}, {@link org.softrdma.interop.SiwOperations} and
 * {@link org.softrdma.interop.ViolationTest} run the programs of {@link org.softrdma.interop.app}.
 * <li>{@link org.softrdma.interop.DocTable}: comparison of the results with the tables of docs/interop.md.
 * <li>Tests without the lab: {@link org.softrdma.interop.RoceVersionsTest} on a {@link org.softrdma.interop.VethPair},
 * {@link org.softrdma.interop.WiresharkTest}, {@link org.softrdma.interop.ScapyIcrcTest},
 * {@link org.softrdma.interop.ArchitectureTest}.
 * </ol>
 */
package org.softrdma.interop;
