// SPDX-License-Identifier: Apache-2.0

/** An application on the module path: it requires the API alone. The devices are services, found on the module path at run time. */
module example.store {
    requires org.softrdma.verbs;
}
