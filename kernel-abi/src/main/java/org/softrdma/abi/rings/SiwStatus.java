// SPDX-License-Identifier: Apache-2.0
package org.softrdma.abi.rings;

/** Outcomes in libsiw's completions; libsiw maps each to the {@code ibv_wc_status} of its name. Source: {@code enum siw_wc_status}. */
public final class SiwStatus {
    /** IBV_WC_SUCCESS. */
    public static final int SUCCESS = 0;
    /** IBV_WC_LOC_LEN_ERR. */
    public static final int LOC_LEN_ERR = 1;
    /** IBV_WC_LOC_PROT_ERR. */
    public static final int LOC_PROT_ERR = 2;
    /** IBV_WC_LOC_QP_OP_ERR. */
    public static final int LOC_QP_OP_ERR = 3;
    /** IBV_WC_WR_FLUSH_ERR. */
    public static final int WR_FLUSH_ERR = 4;
    /** IBV_WC_BAD_RESP_ERR. */
    public static final int BAD_RESP_ERR = 5;
    /** IBV_WC_LOC_ACCESS_ERR. */
    public static final int LOC_ACCESS_ERR = 6;
    /** IBV_WC_REM_ACCESS_ERR. */
    public static final int REM_ACCESS_ERR = 7;
    /** IBV_WC_REM_INV_REQ_ERR. */
    public static final int REM_INV_REQ_ERR = 8;
    /** IBV_WC_GENERAL_ERR. */
    public static final int GENERAL_ERR = 9;

    private SiwStatus() {
    }
}
