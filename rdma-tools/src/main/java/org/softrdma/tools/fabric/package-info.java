// SPDX-License-Identifier: Apache-2.0
/** The commands of InfiniBand fabrics. */
package org.softrdma.tools.fabric;
