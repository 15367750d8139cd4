// SPDX-License-Identifier: Apache-2.0
/** {@code benchmarks/run}: rows, repetitions, peers, tables and plots. */
package org.softrdma.bench.runner;
