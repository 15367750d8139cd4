// SPDX-License-Identifier: Apache-2.0
/*
 * A virtual machine's whole system, for live migration: fills memory, then changes a part of it and adds it up, for ever. Each round prints
 * its number and the sum to the serial port, so a machine that lost or exchanged a page on its way says so in its next round.
 *
 *   qemu-system-x86_64 -m 64 -kernel moving-machine -serial file:OUTPUT
 *
 * Multiboot loads it (version 1, no flags). Freestanding, 32 bits, one processor, interrupts off.
 */
typedef unsigned int u32;

enum { SERIAL = 0x3f8, LINE_STATUS = SERIAL + 5, IDLE = 0x20 };
enum { MEMORY = 16 << 20, WORDS = (32 << 20) / 4, PAGE_WORDS = 4096 / 4, PAGES_OF_A_ROUND = 16 };

__asm__(".section .text.start, \"ax\"\n"
        ".align 4\n"
        ".long 0x1badb002, 0, -0x1badb002\n"
        ".global _start\n"
        "_start: mov $0x90000, %esp\n"
        "call rounds\n");

static void put(char c) {
    unsigned char status;
    do {
        __asm__ volatile("inb %w1, %b0" : "=a"(status) : "Nd"(LINE_STATUS));
    } while (!(status & IDLE));
    __asm__ volatile("outb %b0, %w1" : : "a"(c), "Nd"(SERIAL));
}

static void put_number(u32 number) {
    if (number >= 10) {
        put_number(number / 10);
    }
    put('0' + number % 10);
}

static void put_text(const char *text) {
    while (*text) {
        put(*text++);
    }
}

void rounds(void) {
    volatile u32 *memory = (u32 *)MEMORY;
    for (u32 i = 0; i < WORDS; i++) {
        memory[i] = i * 2654435761u;
    }
    u32 page = 0;
    for (u32 round = 1;; round++) {
        for (int i = 0; i < PAGES_OF_A_ROUND; i++) {
            memory[page * PAGE_WORDS]++;
            page = (page + 1) % (WORDS / PAGE_WORDS);
        }
        u32 sum = 0;
        for (u32 i = 0; i < WORDS; i++) {
            sum += memory[i];
        }
        put_text("round ");
        put_number(round);
        put_text(" sum ");
        put_number(sum);
        put_text("\n");
    }
}
