// SPDX-License-Identifier: Apache-2.0
package org.softrdma.storage.export;

/**
 * A change of a file or directory: its attributes before and after, between which nothing else has changed it through this server. Clients
 * keep their caches if they know both.
 */
public record Change(FileAttributes before, FileAttributes after) {
}
