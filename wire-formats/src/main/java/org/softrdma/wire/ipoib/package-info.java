// SPDX-License-Identifier: Apache-2.0

/** IP over InfiniBand: encapsulation, link-layer addresses, and the messages that resolve them. Sources: RFC 4391, RFC 826, RFC 4861. */
package org.softrdma.wire.ipoib;
