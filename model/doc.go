// Package model is the data of Tidemark: what was read from a run (Run, with
// its tables) and what is said about it (Report).
//
// It imports nothing of ours, and Arrow only in arrow.go. What holds everywhere:
//
//   - Time is int64 nanoseconds since the Unix epoch, on the run's one clock.
//     Sizes are bytes, powers watts, clocks hertz, shares are in [0,1]. Units
//     are converted at the door, by the format that reads the file.
//   - Missing is a null in a table and an absent field in a Report; it is never 0.
//   - Every row knows its file, line and byte offset, and they are real.
//   - Tables do not change after ingest.Read returned them.
//   - Lo <= Mid <= Hi in every Interval; Evidence is never empty.
package model
