// SPDX-License-Identifier: Apache-2.0
package org.softrdma.rxe.config;

import org.softrdma.verbs.VerbsException;

/**
 * How the reliable queue pairs of a device cut READs and WRITEs of several packets. The host carries packets of equal length in one
 * datagram; First, Middle and Last packets of a WRITE differ by the length of a RETH, those of a READ response by that of an AETH.
 */
public enum Segmentation {
    /** One request for each WRITE: First, Middle, Last; READs requested in as few requests as the window allows. IBA vol 1 §9.7.2 */
    FAITHFUL,
    /**
     * Packets of equal length, up to 64 in a message: a WRITE without immediate data as a WRITE Only for each packet, if all of it goes to
     * memory that the peer has accepted WRITEs to; a READ as requests for two packets each, while an eighth of the peer's READ depth is
     * enough for it.
     */
    EQUAL;

    /** Lines of {@code rdma link set help} about the values. */
    static final String SYNTAX = """
        faithful: First, Middle and Last packets, as adapters send them
        equal: short WRITEs and READs as packets of one length, which the host carries faster
        """;

    /**
     * Reads the word that {@link #word} gives.
     *
     * @param word of a value
     * @return the value
     * @throws VerbsException EINVAL: no value has that word
     */
    public static Segmentation parse(String word) {
        return OptionWord.parse(Segmentation.class, "segmentation", word);
    }

    /** {@return the word of the value in the options of a link} */
    public String word() {
        return OptionWord.of(this);
    }
}
