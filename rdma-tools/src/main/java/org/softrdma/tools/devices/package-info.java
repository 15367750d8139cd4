// SPDX-License-Identifier: Apache-2.0
/**
 * Commands that show devices and change nothing: {@code ibv_devinfo}, {@code ibstat}, {@code ibstatus}, {@code show_gids}. They open no
 * device, so they work while other processes are running it.
 * Source: ibverbs-utils and infiniband-diags 44 over kernel 6.1, mlnx-tools' show_gids.
 */
package org.softrdma.tools.devices;
