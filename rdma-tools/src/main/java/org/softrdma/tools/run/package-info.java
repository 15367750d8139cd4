// SPDX-License-Identifier: Apache-2.0
/**
 * Programs on the stock libibverbs and librdmacm that see these devices: {@link org.softrdma.tools.run.Run}, and
 * {@link org.softrdma.tools.run.Shell} for many of them.
 */
package org.softrdma.tools.run;
