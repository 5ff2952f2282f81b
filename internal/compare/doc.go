// Package compare measures whether one of two sides is faster than the other, on a machine that may be noisy.
//
// Both sides are up for the whole comparison. The users of one side work and then those of the other, for a quarter
// of a second each, or longer if that is too short: every four slices in the order ABBA or BAAB, drawn at random.
// So the rest of the machine affects both sides alike, and each block of about five seconds gives one log ratio of B
// to A. The mean of these ratios has a 95 % interval that may be looked at again and again, because its boundaries
// are those of a group sequential test; the comparison ends as soon as the interval decides.
// Slices that other programs or a stalled clock have disturbed are repeated, and what one side leaves behind for the
// other's slices is measured. Decision record 0039 has the study by which the lengths and the statistics were chosen.
package compare
