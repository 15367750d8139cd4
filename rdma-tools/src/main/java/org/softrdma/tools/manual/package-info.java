// SPDX-License-Identifier: Apache-2.0
/** Man pages and shell completion, made of what each tool says when it is asked for help: there is no second list of options to forget. */
package org.softrdma.tools.manual;
