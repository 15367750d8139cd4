// SPDX-License-Identifier: Apache-2.0

/**
 * IP over InfiniBand. {@link org.softrdma.fabric.ipoib.IpoibInterface} is the whole of it: IP packets, messages, answers of subnet
 * administration and the time come in; messages, requests and IP packets go out. {@link org.softrdma.fabric.ipoib.Groups} joins multicast
 * groups, {@link org.softrdma.fabric.ipoib.Neighbours} finds the link-layer addresses of IP addresses, and the paths to them,
 * {@link org.softrdma.fabric.ipoib.Connections} has the connections of connected mode. Pure.
 */
package org.softrdma.fabric.ipoib;
