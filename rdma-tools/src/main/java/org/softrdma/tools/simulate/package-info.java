// SPDX-License-Identifier: Apache-2.0
/**
 * The command {@code simulate}: seeds of the simulator from the command line.
 */
package org.softrdma.tools.simulate;
