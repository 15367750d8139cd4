// SPDX-License-Identifier: Apache-2.0
/**
 * Findings of strict devices: mistakes of programs that soft devices forgive and adapters do not.
 *
 * <p>Reading order: {@link org.softrdma.device.findings.StrictRule}, the rules; {@link org.softrdma.device.findings.Finding};
 * {@link org.softrdma.device.findings.Findings}, what was found in this process.
 */
package org.softrdma.device.findings;
