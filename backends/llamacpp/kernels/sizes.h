// Sizes that are the same at every level: so all levels add up in the same order and give the same bits.
#pragma once

namespace kernels {

constexpr int vector = 16;        // floats in a level's vector, in one register or two
constexpr int tile_rows = vector; // rows of weights, packed together: a vector has a place for each
constexpr int dot_values = 4;     // of a row, multiplied together
constexpr int tile_bytes = tile_rows * dot_values;
constexpr int most_activation = 127; // the largest activation of 8 bits; the smallest is its opposite
constexpr int cache_line = 64;       // bytes that the CPU reads from memory together

} // namespace kernels
