
#ifndef READING_H
#define READING_H
#include <stdint.h>
#ifdef __cplusplus
extern "C" {
#endif
#define NAME_LENGTH 8
#define ROWS (NAME_LENGTH / 4)

/* What a sensor measures. */
enum kind { KIND_NONE, KIND_HEAT = 3, KIND_DAMP };

typedef struct {
    int16_t x; // to the east
    int16_t y;
} point_t;

/*
 * A reading.
 */
struct reading {
    uint8_t version;          /* of the format */
    uint32_t time;
    char name[NAME_LENGTH];
    enum kind kind;
    unsigned state : 3, : 2;
    int trend : 4, frozen : 1;
    uint8_t mac[6];
    point_t points[2];
    int16_t grid[ROWS][3];
    union { int32_t count; float share; } value;
    struct reading *next;
    struct { uint8_t major, minor; } made_by;
    struct { uint8_t plain; };
    __be16 port;
};
_Static_assert(sizeof(struct reading) == 72, "size");

static inline int is_hot(const struct reading *r) { return r->kind == KIND_HEAT; }
#ifdef __cplusplus
}
#endif
#endif
