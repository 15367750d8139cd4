// SPDX-License-Identifier: Apache-2.0
/** ibping: asks another port's management by a vendor's datagram, and answers such. */
package org.softrdma.tools.ibping;
