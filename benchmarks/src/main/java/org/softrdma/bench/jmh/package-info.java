// SPDX-License-Identifier: Apache-2.0
/** Micro benchmarks of the data path's parts, with what they allocate. */
package org.softrdma.bench.jmh;
