// SPDX-License-Identifier: Apache-2.0
/** The first thing to run: two devices in one process show every operation of a reliable connection, and that the data is right. */
package org.softrdma.tools.demo;
