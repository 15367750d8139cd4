// SPDX-License-Identifier: Apache-2.0

/** An application on the module path: the API, byte streams, and a provider's entry point for devices that no list has. */
module example {
    requires org.softrdma.verbs;
    requires org.softrdma.rxe;
    requires org.softrdma.siw;
    requires org.softrdma.rsocket;
    requires org.softrdma.wire;
}
