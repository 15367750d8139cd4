// SPDX-License-Identifier: Apache-2.0
/**
 * Management datagrams in general: {@link org.softrdma.wire.mad.Mad} is the common header, {@link org.softrdma.wire.mad.Field} a field
 * of any width at any bit of a structure, {@link org.softrdma.wire.mad.MadField} the same behind the common header. IBA vol 1 chapter 13.
 */
package org.softrdma.wire.mad;
