// SPDX-License-Identifier: Apache-2.0
package org.softrdma.junit;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.jupiter.api.TestTemplate;
import org.junit.jupiter.api.extension.ExtendWith;

/** In place of {@code @Test}: runs a test of a class with {@link SoftRdma} once for each of many seeds. */
@Documented
@Target(ElementType.METHOD)
@Retention(RetentionPolicy.RUNTIME)
@TestTemplate
@ExtendWith(SeedsExtension.class)
public @interface Seeds {
    /** {@return the number of seeds} */
    int value();

    /** {@return the first seed; the others follow} */
    long first() default 1;

    /** {@return the number of seeds that may fail before the others are skipped: the first few reports say most} */
    int failureThreshold() default 1;
}
