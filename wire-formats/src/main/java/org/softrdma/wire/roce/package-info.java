// SPDX-License-Identifier: Apache-2.0
/**
 * The bytes of RoCE from the BTH on, and the ICRC that covers them. IBA vol 1 chapters 5 and 9, annexes A16 and A17.
 *
 * <p>Reading order: {@link org.softrdma.wire.roce.Bth} and {@link org.softrdma.wire.roce.Opcode} (which extended headers follow, and
 * where), then the extended headers; {@link org.softrdma.wire.roce.PacketCheck}, which makes the accessors safe;
 * {@link org.softrdma.wire.roce.Icrc} with {@link org.softrdma.wire.roce.HeaderShare} (the part that packets of one path share) and
 * {@link org.softrdma.wire.roce.IpIdSolver} (an identification that the receiver could not see); {@link org.softrdma.wire.roce.RoceFrame}
 * for whole Ethernet frames.
 */
package org.softrdma.wire.roce;
