// SPDX-License-Identifier: Apache-2.0
/** Communication management on virtual time: {@link org.softrdma.rxe.sim.CmWorld}, for scripts and seeds. */
package org.softrdma.rxe.sim;
