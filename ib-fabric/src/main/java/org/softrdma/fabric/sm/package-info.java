// SPDX-License-Identifier: Apache-2.0
/** Subnet management: discovery, addresses, routes and activation of a subnet. Pure. */
package org.softrdma.fabric.sm;
