/* The rival in C: mutations to the columns of an Arrow table, and frames hopped over without being read. */

#include <stddef.h>
#include <stdint.h>
#include <string.h>

enum { HEADER = 24, EXTRAS = 31, LABEL = 8 };

/* Where values go. Offsets have one more than there are records; decimals are 16 bytes, little endian. */
struct columns {
    int32_t *message_offsets;
    char *message;
    int16_t *magic, *opcode;
    int32_t *key_length;
    int16_t *extras_length, *datatype;
    int32_t *vbucket;
    int64_t *total_body_length, *opaque;
    uint64_t *cas;
    int64_t *by_seqno, *rev_seqno, *flags, *expiration, *lock_time;
    int32_t *metadata_length;
    int16_t *nru;
    int32_t *key_offsets;
    uint8_t *key;
    int32_t *value_offsets;
    uint8_t *value;
};

static uint16_t u16(const uint8_t *at) {
    return (uint16_t)(at[0] << 8 | at[1]);
}

static uint32_t u32(const uint8_t *at) {
    return (uint32_t)u16(at) << 16 | u16(at + 2);
}

static uint64_t u64(const uint8_t *at) {
    return (uint64_t)u32(at) << 32 | u32(at + 4);
}

/* Whether bytes are a text in UTF-8. */
static int is_text(const uint8_t *at, size_t size) {
    const uint8_t *end = at + size;
    while (at < end) {
        uint8_t first = *at++;
        if (first < 0x80)
            continue;
        int more = first >= 0xF0 ? 3 : first >= 0xE0 ? 2 : 1;
        if (first < 0xC2 || first > 0xF4 || end - at < more)
            return 0;
        if ((first == 0xE0 && *at < 0xA0) || (first == 0xED && *at > 0x9F) || (first == 0xF0 && *at < 0x90) ||
            (first == 0xF4 && *at > 0x8F))
            return 0;
        for (; more; more--)
            if ((*at++ & 0xC0) != 0x80)
                return 0;
    }
    return 1;
}

/* How many mutations there are, and how many bytes their keys and values have. -1 where one is not sound. */
int64_t measured(const uint8_t *data, size_t size, int64_t *key_bytes, int64_t *value_bytes) {
    int64_t records = 0;
    size_t at = 0;
    *key_bytes = *value_bytes = 0;
    while (at < size) {
        const uint8_t *frame = data + at;
        if (size - at < HEADER + EXTRAS)
            return -1;
        size_t key = u16(frame + 2), body = u32(frame + 8);
        if (frame[0] != 0x80 || frame[1] != 0x57 || frame[4] != EXTRAS)
            return -1;
        if (body < EXTRAS + key || body > size - at - HEADER || !is_text(frame + HEADER + EXTRAS, key))
            return -1;
        *key_bytes += (int64_t)key;
        *value_bytes += (int64_t)(body - EXTRAS - key);
        at += HEADER + body;
        records++;
    }
    return records;
}

/* Fill columns that have room for what was measured. */
void fill(const uint8_t *data, size_t size, const struct columns *to) {
    const uint8_t *frame = data;
    int32_t key_end = 0, value_end = 0;
    int64_t row = 0;
    for (; frame < data + size; row++) {
        const uint8_t *extras = frame + HEADER, *key = extras + EXTRAS;
        size_t key_size = u16(frame + 2), body = u32(frame + 8), value_size = body - EXTRAS - key_size;
        to->message_offsets[row] = (int32_t)(LABEL * row);
        memcpy(to->message + LABEL * row, "mutation", LABEL);
        to->magic[row] = frame[0];
        to->opcode[row] = frame[1];
        to->key_length[row] = (int32_t)key_size;
        to->extras_length[row] = frame[4];
        to->datatype[row] = frame[5];
        to->vbucket[row] = u16(frame + 6);
        to->total_body_length[row] = (int64_t)body;
        to->opaque[row] = u32(frame + 12);
        to->cas[2 * row] = u64(frame + 16);
        to->cas[2 * row + 1] = 0;
        to->by_seqno[row] = (int64_t)u64(extras);
        to->rev_seqno[row] = (int64_t)u64(extras + 8);
        to->flags[row] = u32(extras + 16);
        to->expiration[row] = u32(extras + 20);
        to->lock_time[row] = u32(extras + 24);
        to->metadata_length[row] = u16(extras + 28);
        to->nru[row] = extras[30];
        to->key_offsets[row] = key_end;
        memcpy(to->key + key_end, key, key_size);
        key_end += (int32_t)key_size;
        to->value_offsets[row] = value_end;
        memcpy(to->value + value_end, key + key_size, value_size);
        value_end += (int32_t)value_size;
        frame = key + key_size + value_size;
    }
    to->message_offsets[row] = (int32_t)(LABEL * row);
    to->key_offsets[row] = key_end;
    to->value_offsets[row] = value_end;
}

/* How many records there are whose length, less `more`, is the number at `place`. */
int64_t hopped(const uint8_t *data, size_t size, size_t place, size_t more) {
    int64_t records = 0;
    for (size_t at = 0; at < size; records++)
        at += u32(data + at + place) + more;
    return records;
}
