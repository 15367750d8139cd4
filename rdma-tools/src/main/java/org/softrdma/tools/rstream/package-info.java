// SPDX-License-Identifier: Apache-2.0
/** {@code rstream}: how fast byte streams are, over rsockets or, to compare, over TCP sockets. Options and output are the original's. */
package org.softrdma.tools.rstream;
