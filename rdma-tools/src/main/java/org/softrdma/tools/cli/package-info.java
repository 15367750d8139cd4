// SPDX-License-Identifier: Apache-2.0
/** What the tools have in common: being a command that is called, says something and ends with an exit code. */
package org.softrdma.tools.cli;
