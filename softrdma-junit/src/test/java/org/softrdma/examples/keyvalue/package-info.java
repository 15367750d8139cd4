// SPDX-License-Identifier: Apache-2.0
/** A small key-value store on RDMA WRITE and READ, and its tests with softrdma-junit, as a user would write them. */
package org.softrdma.examples.keyvalue;
