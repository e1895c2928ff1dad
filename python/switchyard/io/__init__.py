# SPDX-License-Identifier: Apache-2.0
"""Data: datasets, batches fetched by threads, a progress bar."""

from switchyard.io.data_loader import DataLoader
from switchyard.io.dataset import ArrayDataset, Dataset, Subset, collate
from switchyard.io.progress import ProgressBar

__all__ = ["ArrayDataset", "DataLoader", "Dataset", "ProgressBar", "Subset",
           "collate"]
