// SPDX-License-Identifier: Apache-2.0
/**
 * Stands in for the kernel's rdma_ucm, the device {@code /dev/infiniband/rdma_cm} that librdmacm writes its commands to. Commands are
 * checked, translated, and executed by the connection manager of this process, which all programs share: one table of ports, as in a
 * kernel.
 *
 * <p>Reading order: {@link org.softrdma.daemon.ucm.UcmDevice}, the device; {@link org.softrdma.daemon.ucm.UcmFile}, one open of it, which
 * is one event channel; {@code UcmCommands}, the table of commands; {@code UcmRequest}, a command that was copied from a program;
 * {@code UcmIdentifier}; the commands by theme: {@code IdentifierCommands}, {@code AddressCommands}, {@code QueryCommands},
 * {@code ConnectionCommands}, {@code GroupCommands}; {@code UcmEvents}, the way of an event to a program.
 *
 * <p>Numbers, sizes and errors are those of Linux 6.1, and of 6.17 for events that programs write; the layouts are in
 * {@code org.softrdma.abi.ucm}.
 */
package org.softrdma.daemon.ucm;
