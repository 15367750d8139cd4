// SPDX-License-Identifier: Apache-2.0
/** The exported directory: its files, their handles and attributes, and the rules that keep clients inside. */
package org.softrdma.storage.export;
