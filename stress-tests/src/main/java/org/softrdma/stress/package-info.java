// SPDX-License-Identifier: Apache-2.0
/**
 * jcstress tests of the structures that a poster, a poller and a device's owner share without a lock:
 * {@link org.softrdma.stress.DoorbellsStress}, {@link org.softrdma.stress.WorkRingStress},
 * {@link org.softrdma.stress.CompletionRingStress} and, with a C program as poster and poller, {@link org.softrdma.stress.SiwRingsStress}.
 * Each class names the mistakes that its tests were seen to find on x86, and those that only a machine with weaker memory order can show;
 * for the latter it gives the argument by the memory model.
 */
package org.softrdma.stress;
