// SPDX-License-Identifier: Apache-2.0
/** What goes wrong on a wire, how often, and the draws that decide it: shared by the simulated fabric and the links of real devices. */
package org.softrdma.link.fault;
