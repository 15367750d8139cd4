// SPDX-License-Identifier: Apache-2.0
/**
 * The front door that stands in for ib_uverbs: open device files of programs, the methods of their ioctl, and the objects behind handles.
 *
 * <p>Reading order: {@link org.softrdma.daemon.verbs.UverbsDevice}, a device as programs see it;
 * {@link org.softrdma.daemon.verbs.UverbsFile}, one open of it; {@link org.softrdma.daemon.verbs.Methods} and
 * {@link org.softrdma.daemon.verbs.LegacyCommands}, the tables of what can be called; {@link org.softrdma.daemon.verbs.UverbsCall}, the
 * arguments and results of one call; the methods of each kind of object, {@link org.softrdma.daemon.verbs.QpMethods} for example; the
 * objects, {@link org.softrdma.daemon.verbs.HeldObject}; {@link org.softrdma.daemon.verbs.LibraryDriver}, what librxe and libsiw are told
 * besides. Here calls are checked and translated; what they do is in {@code org.softrdma.device.verbs}.
 */
package org.softrdma.daemon.verbs;
