## What became of the history file
history-entry-damaged = Entry { $entry } of the history is damaged and is not shown. Delete it, or run the measurement again.
history-in-memory = The history cannot be kept on disk ({ $detail }); this run is kept only while the program is open. Make the data folder writable or choose another one.
history-newer = The history was written by a newer version of the program (format { $version }, this one knows { $known }). It was left untouched; update the program to see it.
history-damaged = The history file was damaged. It is kept aside as { $aside }; { $saved } whole entries were carried over into a new one.
history-calibration-reused = The microbenchmarks of { $device } were taken over from { $date }, as driver, torch and power limit are still the same. Run with --no-history to make them anew.

# What --prune-history says and asks.
history-prune-none = No run of the history is older than { $days ->
    [one] a day.
   *[other] { $days } days.
  }
history-prune-found = { $count ->
    [one] One run is older: of { $first }.
   *[other] { $count } runs are older: of { $first } to { $last }.
  } Calibrations and verified predictions stay.
history-prune-question = Delete for good? [y/N]
history-prune-kept = Nothing was deleted.
history-pruned = { $count ->
    [one] One run was deleted.
   *[other] { $count } runs were deleted.
  }
history-entry-gone = History entry { $number } is damaged or gone.
history-entry-gone-remedy = Choose another run.
history-not-written = The history{ $path ->
        [memory] { "" }
       *[other] { " " }{ $path }
    } could not be written: { $error }.
history-not-written-remedy = Free disk space, end other programs that use it, or choose another data folder.

## Sentences of a record that an earlier version saved
saved-value-lost = (not recorded)
saved-statement = Another version of this program said something here in words that this one lacks: { $told }.
