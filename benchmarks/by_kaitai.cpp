// Calls the parser that Kaitai Struct's compiler makes of by_kaitai.ksy: one object a record, in a tree.

#include <cstddef>
#include <cstdint>
#include <string>

#include "kaitai/kaitaistream.h"
#include "mutations.h"

// How many records there are; -1 where one cannot be read. Some columns are summed up into `sums`, if that is given.
extern "C" int64_t parsed(const char *data, size_t size, uint64_t *sums) try {
    kaitai::kstream stream(std::string(data, size));
    mutations_t tree(&stream);
    if (sums)
        for (auto *frame : *tree.frames()) {
            sums[0] += frame->opaque();
            sums[1] += frame->by_seqno();
            sums[2] += frame->key().size();
            sums[3] += frame->value().size();
        }
    return static_cast<int64_t>(tree.frames()->size());
} catch (const std::exception &) {
    return -1;
}
