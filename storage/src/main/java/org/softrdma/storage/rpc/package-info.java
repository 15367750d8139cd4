// SPDX-License-Identifier: Apache-2.0
/** Remote procedure calls (RFC 5531): headers, programs, and the replies to calls that are received twice. */
package org.softrdma.storage.rpc;
