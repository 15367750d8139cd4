// SPDX-License-Identifier: Apache-2.0
/** Management datagrams under way: with their addresses, as requests that wait for an answer, and in several packets. Pure. */
package org.softrdma.fabric.mad;
