// SPDX-License-Identifier: Apache-2.0
/** {@link org.softrdma.abi.AbiLayout}, which the flyweights of all packages of this module share. */
package org.softrdma.abi;
