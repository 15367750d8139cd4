// SPDX-License-Identifier: Apache-2.0
/**
 * Mixed load over hours, in a profile of its own ({@code mvn verify -Psoak}): {@link org.softrdma.tools.soak.MixedLoadSoakTest} starts the
 * processes, {@link org.softrdma.tools.soak.LoadProcess} is their main class, {@link org.softrdma.tools.soak.LoadClient} and
 * {@link org.softrdma.tools.soak.LoadServer} are the ends of a connection, {@link org.softrdma.tools.soak.Sample} is what a process holds.
 */
package org.softrdma.tools.soak;
